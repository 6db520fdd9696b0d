"""One regularized adversarial autoencoder as a textbook writes it: modules, three optimisers, every step re-encodes.

The reference that stacked training is held to, and the loop that its benchmark is timed against. It shares no
arithmetic with mistrust.ambiguity, only the numbers that it is given.
"""

import torch
from torch import nn
from torch.nn import functional


class Plain(nn.Module):
    def __init__(self, pixels, classes=10, latent=2, hidden=128, slope=0.3, dropout=0.1):
        super().__init__()
        self.slope, self.dropout, self.classes = slope, dropout, classes

        def three(inside, outside):
            return nn.ModuleList([nn.Linear(inside, hidden), nn.Linear(hidden, hidden), nn.Linear(hidden, outside)])

        self.encoder, self.decoder = three(pixels, latent), three(latent, pixels)
        self.discriminator = three(latent + classes, 1)

    def load(self, weights):
        """Weights by the stack's names, (in, out)."""
        with torch.no_grad():
            for part in ("encoder", "decoder", "discriminator"):
                for number, layer in enumerate(getattr(self, part)):
                    layer.weight.copy_(weights[f"{part}.{number}.weight"].T)
                    layer.bias.copy_(weights[f"{part}.{number}.bias"])
        return self

    def weights(self):
        return {
            f"{part}.{number}.{kind}": values.detach().T if kind == "weight" else values.detach()
            for part in ("encoder", "decoder", "discriminator")
            for number, layer in enumerate(getattr(self, part))
            for kind, values in layer.named_parameters()
        }

    def optimisers(self, rate=1e-3, epsilon=1e-7, fused=None):
        groups = ([*self.encoder.parameters(), *self.decoder.parameters()],
                  self.discriminator.parameters(), self.encoder.parameters())  # fmt: skip
        return [torch.optim.Adam(group, lr=rate, eps=epsilon, fused=fused) for group in groups]

    def run(self, part, x, masks=None):
        layers = getattr(self, part)
        for number, layer in enumerate(layers):
            x = layer(x)
            if number < 2:
                x = functional.leaky_relu(x, self.slope)
                x = functional.dropout(x, self.dropout, self.training) if masks is None else x * masks[number]
        return x

    def judge(self, z, labels, masks=None):
        return self.run("discriminator", torch.cat([z, functional.one_hot(labels, self.classes).to(z)], 1), masks)

    def step(self, optimisers, x, labels, real, real_labels, masks=None):
        """One batch: reconstruct, discriminate, generate; `masks` (14, b, hidden) or None for torch's dropout."""
        m = [None] * 7 if masks is None else [masks[i : i + 2] for i in range(0, 6, 2)] + [
            masks[[6, 8]], masks[[7, 9]], masks[10:12], masks[12:14]
        ]  # fmt: skip
        b = len(x)
        for optimiser in optimisers:
            optimiser.zero_grad()
        made = torch.sigmoid(self.run("decoder", self.run("encoder", x, m[0]), m[1]))
        functional.mse_loss(made, x).backward()
        optimisers[0].step()

        for optimiser in optimisers:
            optimiser.zero_grad()
        told_real = self.judge(real, real_labels, m[3])
        told_fake = self.judge(self.run("encoder", x, m[2]), labels, m[4])
        entropy = functional.binary_cross_entropy_with_logits
        both = entropy(told_real, torch.ones_like(told_real)) + entropy(told_fake, torch.zeros_like(told_fake))
        (both / (2 * b)).backward()
        optimisers[1].step()

        for optimiser in optimisers:
            optimiser.zero_grad()
        told = self.judge(self.run("encoder", x, m[5]), labels, m[6])
        (entropy(told, torch.ones_like(told)) / b).backward()
        optimisers[2].step()
        return told_real.detach(), told_fake.detach()
