"""Losses with their own backward where torch's is slow, and those of sentence vectors."""

import torch
import torch.nn.functional as F

SAME = 0.8


class CrossEntropy(torch.autograd.Function):
    """Mean of -log softmax at the targets; the softmax is made once, and its gradient in place."""

    @staticmethod
    def forward(context, logits, targets):
        logits = logits.detach()
        p = torch.exp(logits - logits.max(1, keepdim=True).values)
        total = p.sum(1, keepdim=True)
        p /= total
        rows = torch.arange(len(targets), device=targets.device)
        chosen = p[rows, targets].clamp(min=1e-30)
        p[rows, targets] -= 1
        context.save_for_backward(p)
        return -chosen.log().mean()

    @staticmethod
    def backward(context, grad):
        p, = context.saved_tensors
        return p * (grad / len(p)), None


cross_entropy = CrossEntropy.apply


def relations(student, teacher, temperature=0.05):
    """How far likeness within a batch is from the teacher's: as a distribution over the others, and number by number."""
    own = torch.eye(len(student), dtype=torch.bool, device=student.device)
    ours, theirs = student @ student.T, teacher @ teacher.T
    square = (ours - theirs).masked_fill(own, 0).pow(2).sum() / (len(own) * (len(own) - 1))
    wanted = F.softmax((theirs / temperature).masked_fill(own, -1e4), 1)
    said = F.log_softmax((ours / temperature).masked_fill(own, -1e4), 1)
    return F.kl_div(said, wanted, reduction="batchmean"), square


def ranked(anchor, near, far, loose, margin, least):
    """What says the same is nearer than what does not, seen from both sentences that say it; which is not pushed away
    below `least`. Where the mate is a loose one, the two that belong together are not drawn nearer for it."""
    both, first, second = (anchor * near).sum(1), (anchor * far).sum(1), (near * far).sum(1)
    wanted = torch.where(loose, both.detach(), both) - margin
    order = F.relu(torch.maximum(first, wanted.new_tensor(least)) - wanted) + 0.5 * F.relu(second - wanted)
    return order.mean(), (both > first).float().mean()


def apart(student, teacher, near):
    """How far pairs that the teacher calls near are below what it says."""
    theirs = (teacher @ teacher.T).tril(-1)
    at = (theirs >= near) & (theirs < 0.995)
    short = F.relu(theirs - student @ student.T)
    return (short * at).sum() / at.sum().clamp(min=1)


def opposed(anchor, mate, far, level, same):
    """What says something else is at most so near, seen from both that say the same; where these are surely the same,
    they are near."""
    first, second, both = (anchor * far).sum(1), (mate * far).sum(1), (anchor * mate).sum(1)
    loss = F.relu(first - level) + 0.5 * F.relu(second - level) + same * F.relu(SAME - both)
    return loss.mean(), (first < both).float().mean()
