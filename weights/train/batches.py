"""Texts as batches of token ids: running text with words masked, and any spans of tokens."""

import numpy
import torch

from model import DEVICE
from wordpiece import CLS, MASK, PAD, SEP, SPECIAL

ROUNDED = 8 # a width of padded rows is a multiple of it
MASKED = 0.15
MASKED_MARKS = 0.05


class Masker:
    """Masks words of texts of these pieces."""

    def __init__(self, pieces):
        continues = [p.startswith("##") for p in pieces]
        rate = [MASKED if any(c.isalnum() for c in p) else MASKED_MARKS for p in pieces]
        rate[:len(SPECIAL)] = [0] * len(SPECIAL)
        self.continues, self.rate = torch.tensor(continues).to(DEVICE), torch.tensor(rate).to(DEVICE)

    def __call__(self, ids, generator):
        """Whole words are masked: 80 % by the mask, 10 % by any piece, 10 % stay. Returns the input, the flat places
        that are asked for, and what stood there."""
        flat = ids.reshape(-1)
        word = torch.cumsum(~self.continues[flat], 0)
        chosen = torch.rand(len(flat) + 1, generator=generator, device=DEVICE)[word] < self.rate[flat]
        at = chosen.nonzero()[:, 0]
        targets, shown = flat[at], flat.clone()
        draw = torch.rand(len(at), generator=generator, device=DEVICE)
        other = torch.randint(len(SPECIAL), len(self.rate), (len(at),), generator=generator, device=DEVICE)
        shown[at] = torch.where(draw < 0.8, torch.full_like(at, MASK), torch.where(draw < 0.9, targets, other))
        return shown.view(ids.shape), at, targets


def rows(tokens, begins, lengths, stop=None):
    """Spans of a flat tensor of tokens as [texts, longest] with their special tokens, and which of them are no padding.
    stop: of each span the id of one token more at its end, or 0."""
    longest = int(lengths.max()) if stop is None else None # of numpy: a GPU would have to be waited for
    begins, lengths = torch.from_numpy(begins).to(DEVICE), torch.from_numpy(lengths).to(DEVICE)
    more = torch.zeros_like(lengths) if stop is None else (stop > 0).long()
    place = torch.arange((longest or int((lengths + more).max())) + 2, device=DEVICE)
    inside = (place >= 1) & (place <= lengths[:, None])
    at = (begins[:, None] + place - 1).clamp(0, len(tokens) - 1)
    ids = torch.where(inside, tokens[at].long(), torch.full_like(at, PAD))
    ids[:, 0] = CLS
    row = torch.arange(len(ids), device=DEVICE)
    if stop is not None:
        ids[row, lengths + 1] = stop # a 0 is the padding that the next line writes over
    ids[row, lengths + more + 1] = SEP
    return ids, ids != PAD


def padded(rows, first, last):
    """Rows of ids as one array, with the special ones, of a width that is a multiple of ROUNDED."""
    lengths = numpy.array([len(r) for r in rows])
    width = -(-(int(lengths.max()) + 2) // ROUNDED) * ROUNDED
    out = numpy.zeros((len(rows), width), numpy.int16)
    place = numpy.arange(width)
    out[(place >= 1) & (place <= lengths[:, None])] = numpy.concatenate(rows)
    out[:, 0] = first
    out[numpy.arange(len(rows)), lengths + 1] = last
    return out


def generator(*numbers):
    """Of these numbers alone."""
    seed = int(numpy.random.SeedSequence(list(numbers)).generate_state(1, numpy.uint64)[0]) >> 1
    return torch.Generator(device=DEVICE).manual_seed(seed)
