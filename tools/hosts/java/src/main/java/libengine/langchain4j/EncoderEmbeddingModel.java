package libengine.langchain4j;

import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.model.output.Response;
import java.util.List;
import libengine.Encoder;

/** LangChain4j's EmbeddingModel by an Encoder; role: DOCUMENT to store texts, QUERY to search them. */
public record EncoderEmbeddingModel(Encoder encoder, Encoder.Role role) implements EmbeddingModel {
    @Override
    public Response<List<Embedding>> embedAll(List<TextSegment> segments) {
        List<Encoder.Input> texts = segments.stream().map(segment -> Encoder.Input.of(segment.text())).toList();
        return Response.from(encoder.encode(texts, Encoder.Options.of(role)).stream().map(Embedding::from).toList());
    }

    @Override
    public int dimension() { return encoder.width; }
}
