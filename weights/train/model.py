"""BERT by hand: parameters under HuggingFace's names, matrices multiplied in bfloat16, sums,
norms and scores in float32. On a GPU if there is one, else on the CPU."""

import math

import torch
import torch.nn.functional as F

SHAPE = {"vocabulary": 16000, "width": 256, "layers": 4, "heads": 4, "feed_forward": 640, "positions": 512}
EPSILON = 1e-12
MATRICES = torch.bfloat16
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
# Not a BERT parameter: positions are a sinusoid with one learned gain per column, so that places
# beyond the lengths trained on are like those before them. export.py writes the product.
GAIN = "position_gain"
# The matrix after the mean; stages 1 to 3 have none, export.py makes it.
DENSE = "dense"
PROJECTION = "projection" # of our vectors to the teacher's; no part of the model


def sinusoid(positions, width):
    place = torch.arange(positions, dtype=torch.float32)[:, None]
    rate = torch.exp(torch.arange(0, width, 2, dtype=torch.float32) * (-math.log(10000.0) / width))
    table = torch.empty(positions, width)
    table[:, 0::2] = torch.sin(place * rate)
    table[:, 1::2] = torch.cos(place * rate)
    return table


def new_parameters(shape, seed, embedding=None):
    g = torch.Generator().manual_seed(seed)
    d, ff = shape["width"], shape["feed_forward"]
    p = {}

    def matrix(name, rows, columns, deviation=0.02):
        p[name] = torch.randn(rows, columns, generator=g) * deviation

    def linear(name, rows, columns):
        matrix(name + ".weight", rows, columns, columns ** -0.5 * 0.6)
        p[name + ".bias"] = torch.zeros(rows)

    def norm(name):
        p[name + ".weight"] = torch.ones(d)
        p[name + ".bias"] = torch.zeros(d)

    matrix("bert.embeddings.word_embeddings.weight", shape["vocabulary"], d, 0.05)
    if embedding is not None:
        p["bert.embeddings.word_embeddings.weight"] = torch.from_numpy(embedding).float().clone()
    p[GAIN] = torch.full((d,), 0.03)
    norm("bert.embeddings.LayerNorm")
    for layer in range(shape["layers"]):
        at = "bert.encoder.layer.%d." % layer
        for part in ("query", "key", "value"):
            linear(at + "attention.self." + part, d, d)
        linear(at + "attention.output.dense", d, d)
        norm(at + "attention.output.LayerNorm")
        linear(at + "intermediate.dense", ff, d)
        linear(at + "output.dense", d, ff)
        norm(at + "output.LayerNorm")
    linear("cls.predictions.transform.dense", d, d)
    norm("cls.predictions.transform.LayerNorm")
    p["cls.predictions.bias"] = torch.zeros(shape["vocabulary"])
    return {name: t.requires_grad_(True) for name, t in p.items()}


class Rows(torch.autograd.Function):
    """Rows of a table by their ids. Their gradient is added where the table keeps its own, in place of a table of zeros
    for each batch; a table that keeps none yet gets one."""

    @staticmethod
    def forward(context, table, ids):
        context.table, context.ids = table, ids
        return F.embedding(ids, table.detach())

    @staticmethod
    def backward(context, grad):
        table = context.table
        if table.grad is None:
            table.grad = torch.zeros_like(table)
        table.grad.index_add_(0, context.ids.reshape(-1), grad.reshape(-1, grad.shape[-1]))
        return None, None


class Bert:
    def __init__(self, parameters, shape):
        self.p, self.shape = parameters, shape
        self.sinusoid = sinusoid(shape["positions"], shape["width"]).to(DEVICE)
        self.cast()

    def cast(self):
        """Rounded copies for the products, to be made anew after every step."""
        self.w = {name: t.to(MATRICES) for name, t in self.p.items()
                  if ".layer." in name and "LayerNorm" not in name or ".dense." in name}

    def norm(self, x, name):
        return F.layer_norm(x, (x.shape[-1],), self.p[name + ".weight"], self.p[name + ".bias"], EPSILON)

    def linear(self, x, name):
        return F.linear(x, self.w[name + ".weight"], self.w[name + ".bias"])

    def positions(self, tokens):
        """Rows of the first places: of a table, where a model has one, else sinusoids."""
        if GAIN in self.p:
            return self.sinusoid[:tokens] * self.p[GAIN]
        return (self.p["bert.embeddings.position_embeddings.weight"][:tokens]
                + self.p["bert.embeddings.token_type_embeddings.weight"][0])

    def hidden(self, ids, real=None):
        """Rows of the last layer, [texts * tokens, width]; real: which tokens are not padding."""
        batch, tokens = ids.shape
        d, heads = self.shape["width"], self.shape["heads"]
        x = Rows.apply(self.p["bert.embeddings.word_embeddings.weight"], ids)
        x = self.norm((x + self.positions(tokens)).view(-1, d), "bert.embeddings.LayerNorm")
        bias = None
        if real is not None:
            bias = torch.zeros(batch, 1, 1, tokens, device=DEVICE).masked_fill_(~real[:, None, None, :], -1e4)
            bias = bias.expand(batch, heads, 1, tokens).reshape(batch * heads, 1, tokens)
        for layer in range(self.shape["layers"]):
            at = "bert.encoder.layer.%d." % layer
            names = [at + "attention.self." + part for part in ("query", "key", "value")]
            weight = torch.cat([self.w[n + ".weight"] for n in names])
            vector = torch.cat([self.w[n + ".bias"] for n in names])
            qkv = F.linear(x.to(MATRICES), weight, vector)
            qkv = qkv.view(batch, tokens, 3, heads, d // heads).permute(2, 0, 3, 1, 4)
            q, k, v = qkv.reshape(3, batch * heads, tokens, d // heads)
            scores = torch.bmm(q, k.transpose(1, 2)).float() * (d // heads) ** -0.5
            if bias is not None:
                scores = scores + bias
            mixed = torch.bmm(torch.softmax(scores, -1).to(MATRICES), v)
            mixed = mixed.view(batch, heads, tokens, d // heads).transpose(1, 2).reshape(-1, d)
            out = self.linear(mixed, at + "attention.output.dense").float()
            x = self.norm(x + out, at + "attention.output.LayerNorm")
            inner = F.gelu(self.linear(x.to(MATRICES), at + "intermediate.dense"))
            out = self.linear(inner, at + "output.dense").float()
            x = self.norm(x + out, at + "output.LayerNorm")
        return x

    def logits(self, rows):
        """The masked-language head, on the rows that are asked for."""
        h = F.gelu(self.linear(rows.to(MATRICES), "cls.predictions.transform.dense").float())
        h = self.norm(h, "cls.predictions.transform.LayerNorm").to(MATRICES)
        table = self.p["bert.embeddings.word_embeddings.weight"].to(MATRICES)
        return F.linear(h, table).float() + self.p["cls.predictions.bias"]

    def pooled(self, ids, real):
        """Mean over the tokens, times the matrix if there is one, of length 1."""
        x = self.hidden(ids, real).view(*ids.shape, -1)
        weight = real.float()[:, :, None]
        mean = (x * weight).sum(1) / weight.sum(1)
        return F.normalize(mean @ self.p[DENSE].T if DENSE in self.p else mean, dim=-1)
