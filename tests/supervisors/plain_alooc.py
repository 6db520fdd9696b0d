"""One class's refiner and discriminator as torch modules, trained alone: what a stack is compared with.

Layer by layer as the Keras port has them; upsampling makes the larger image, and each step refines anew.
"""

from math import ceil

import torch
from torch import nn
from torch.nn import functional


class Same(nn.Conv2d):
    """Convolution of 5x5 with stride 2 and Keras's padding."""

    def __init__(self, inward, outward):
        super().__init__(inward, outward, 5, stride=2)

    def forward(self, x):
        pads = []
        for side in (x.shape[3], x.shape[2]):
            total = max(2 * (ceil(side / 2) - 1) + 5 - side, 0)
            pads += [total // 2, total - total // 2]
        return super().forward(functional.pad(x, pads))


class Plain:
    """Both networks of one class, with Adam of (0.5, 0.999) or RMSProp on clipped gradients."""

    def __init__(self, channels, side, optimiser="adam", rate=0.002, weight=0.2, dtype=torch.float32):
        def encoder(widths, first):
            layers = []
            for i, (a, b) in enumerate(zip((channels, *widths), widths, strict=False)):
                layers += [Same(a, b), nn.BatchNorm2d(b, eps=1e-3) if i or first else nn.Identity(), nn.LeakyReLU(0.3)]
            return layers

        tight = 0 if side <= 8 * ceil(side / 8) - 4 else 1
        decoder = [
            nn.Conv2d(128, 16, 5, padding=2), nn.ReLU(), nn.Upsample(scale_factor=2),
            nn.Conv2d(16, 16, 5, padding=2), nn.ReLU(), nn.Upsample(scale_factor=2),
            nn.Conv2d(16, 32, 3, padding=tight), nn.ReLU(), nn.Upsample(scale_factor=2),
            nn.Conv2d(32, channels, 5, padding=2),
        ]  # fmt: skip
        judge = encoder((16, 32, 64, 128), False)
        small = ceil(side / 16)
        self.side, self.weight, self.rate = side, weight, rate
        self.refiner = nn.Sequential(*encoder((32, 64, 128), True), *decoder).to(dtype)
        self.judge = nn.Sequential(*judge, nn.Flatten(), nn.Linear(128 * small * small, 1)).to(dtype)
        self.optimisers = [self._optimiser(optimiser, part) for part in (self.judge, self.refiner)]

    def _optimiser(self, name, part):
        if name == "adam":
            return torch.optim.Adam(part.parameters(), lr=self.rate, betas=(0.5, 0.999), eps=1e-7)
        return torch.optim.RMSprop(part.parameters(), lr=self.rate, alpha=0.9, eps=1e-7)

    def load(self, weights, g=0):
        """Take the g-th weights of a stack, in the order of the layers."""
        for part, names in ((self.refiner, ("encoder", "decoder")), (self.judge, ("judge", "head"))):
            ours = [values[g] for name, values in weights.items() if name.startswith(names)]
            with torch.no_grad():
                for own, given in zip(part.parameters(), ours, strict=True):
                    own.copy_(given)
        return self

    def weights(self):
        """All parameters, the refiner's first."""
        return [values.detach() for part in (self.refiner, self.judge) for values in part.parameters()]

    def rebuilt(self, x):
        """The refiner's image."""
        return self.refiner(x)[:, :, : self.side, : self.side].sigmoid()

    def step(self, clean, noisy, clip=None):
        """One batch: the discriminator once, the refiner twice."""
        entropy = functional.binary_cross_entropy
        real, fake = (self.judge(x).sigmoid() for x in (clean, self.rebuilt(noisy).detach()))
        self._learn(0, entropy(real, torch.ones_like(real)) + entropy(fake, torch.zeros_like(fake)), clip)
        for _ in range(2):
            made = self.rebuilt(noisy)
            said = self.judge(made).sigmoid()
            self._learn(1, entropy(said, torch.ones_like(said)) + self.weight * entropy(made, clean), clip)

    def _learn(self, which, loss, clip):
        optimiser = self.optimisers[which]
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        if clip:
            torch.nn.utils.clip_grad_value_([p for group in optimiser.param_groups for p in group["params"]], clip)
        optimiser.step()
