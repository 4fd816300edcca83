"""Losses with their own backward where torch's is slow, and those of sentence vectors."""

import torch
import torch.nn.functional as F


class CrossEntropy(torch.autograd.Function):
    """Mean of -log softmax at the targets; the softmax is made once, and its gradient in place."""

    @staticmethod
    def forward(context, logits, targets):
        logits = logits.detach()
        p = torch.exp(logits - logits.max(1, keepdim=True).values)
        total = p.sum(1, keepdim=True)
        p /= total
        rows = torch.arange(len(targets))
        chosen = p[rows, targets].clamp(min=1e-30)
        p[rows, targets] -= 1
        context.save_for_backward(p)
        return -chosen.log().mean()

    @staticmethod
    def backward(context, grad):
        p, = context.saved_tensors
        return p * (grad / len(p)), None


cross_entropy = CrossEntropy.apply


def contrast(first, second, negatives=None, temperature=0.05):
    """InfoNCE both ways: each first sentence finds its partner among the second ones and the
    negatives, each second one among the first ones."""
    scores = first @ second.T / temperature
    targets = torch.arange(len(first))
    forward = scores if negatives is None else torch.cat([scores, first @ negatives.T / temperature], 1)
    return (F.cross_entropy(forward, targets) + F.cross_entropy(scores.T, targets)) / 2


def apart(first, changed, most):
    """A negation, another order or another word is near, but no nearer than its cosine in most."""
    return F.relu((first * changed).sum(1) - most).mean()
