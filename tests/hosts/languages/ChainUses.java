import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.EmbeddingModel;
import java.util.Arrays;
import java.util.List;
import libengine.Encoder;
import libengine.langchain4j.EncoderEmbeddingModel;

/** Compares LangChain4j's EmbeddingModel with the encoder that it is made of. */
public final class ChainUses {
    public static void main(String[] arguments) {
        Encoder encoder = new Encoder("roles.weights", 0);
        EmbeddingModel model = new EncoderEmbeddingModel(encoder, Encoder.Role.DOCUMENT);
        List<Embedding> found = model.embedAll(List.of(TextSegment.from("I ride"), TextSegment.from("dog"))).content();
        float[] expected = encoder.encode(List.of(Encoder.Input.of("I ride")), Encoder.Options.of(Encoder.Role.DOCUMENT)).get(0);
        System.out.println(Arrays.equals(found.get(0).vector(), expected) + " " + found.size() + " " + model.dimension()
            + " " + Arrays.equals(model.embed("I ride").content().vector(), expected));
    }
}
