import numpy as np
import pytest
import torch
from scipy.stats import multivariate_normal
from sklearn.datasets import load_digits

from mistrust import random
from mistrust.ambiguity.density import DensityModel
from mistrust.data import ImageSet
from mistrust.errors import MistrustError


def draw(seed=0):
    return random.generator(seed, "test/density")


SCALE = 40  # brings what is drawn here into [0, 1], where pixels are


def gaussian(n, seed=0, d=12, q=3, noise=0.05):
    """Pixels whose exact law is known: three directions of large variance, all others equal."""
    loadings = draw(100).normal(size=(d, q)) * [2, 1, 0.5]
    mean, loadings, noise = 0.5 + draw(101).random(d) / SCALE, loadings / SCALE, noise / SCALE
    law = multivariate_normal(mean, loadings @ loadings.T + noise**2 * np.eye(d), allow_singular=True)
    g = draw(seed)
    return mean + g.normal(size=(n, q)) @ loadings.T + noise * g.normal(size=(n, d)), law


@pytest.fixture(scope="module")
def digits():
    pixels, labels = load_digits(return_X_y=True)
    images = torch.from_numpy((pixels / 16).astype(np.float32)).view(-1, 1, 8, 8)
    return ImageSet("digits", images, torch.from_numpy(labels), torch.arange(len(labels)), tuple("0123456789"))


@pytest.fixture(scope="module")
def fitted(digits):
    return DensityModel.fit(digits.take(slice(0, 1300)), components=20, clusters=10)


def test_near_the_exact_density_of_a_gaussian():
    x, law = gaussian(20000)
    fresh, _ = gaussian(2000, seed=1)
    model = DensityModel.fit(x, components=3, clusters=1)
    assert (model.components, model.clusters, model.n) == (3, 1, 20000)
    assert model.noise == pytest.approx((0.05 / SCALE) ** 2, rel=0.02)
    found, exact = model.log_density(fresh), law.logpdf(fresh)
    assert found.dtype == np.float64
    # Their mean gap is the divergence of the two laws; typical values are spread over several nats.
    assert abs((found - exact).mean()) < 0.02
    assert np.abs(found - exact).max() < 0.3
    assert exact.std() > 2


def test_several_clusters_do_not_hurt_and_find_what_one_cannot():
    centers = 0.5 + np.array([[-3.0, 0, 0], [3, 0, 0]]) / SCALE

    def two(seed, n):
        g = draw(seed)
        return centers[g.integers(2, size=n)] + g.normal(size=(n, 3)) / SCALE

    model = DensityModel.fit(two(0, 8000), components=3, clusters=2)
    fresh = two(1, 2000)
    exact = np.logaddexp(*(multivariate_normal(c, np.eye(3) / SCALE**2).logpdf(fresh) for c in centers)) - np.log(2)
    assert np.abs(model.log_density(fresh) - exact).mean() < 0.1
    middle = np.full((1, 3), 0.5)
    one = DensityModel.fit(two(0, 8000), components=3, clusters=1)
    assert model.log_density(middle) < model.log_density(centers).min() - 2
    assert one.log_density(middle) > one.log_density(centers).max()


def test_all_components_leave_nothing_outside():
    x, _ = gaussian(2000, noise=0.5)  # well above the rounding of pixels
    model = DensityModel.fit(x, components=12, clusters=1)
    np.testing.assert_allclose(model.log_density(x), model.log_density(x, outside=False), atol=1e-6)
    sample = multivariate_normal(x.mean(0), np.cov(x.T))
    assert model.log_density(x).mean() == pytest.approx(sample.logpdf(x).mean(), abs=0.05)


def test_parts_add_up(digits, fitted):
    x = digits.take(slice(1300, None)).floats().flatten(1).double().numpy()
    inside = fitted.log_density(x, outside=False)
    z = (x - fitted.mean) @ fitted.basis.T
    rest = x - fitted.mean - z @ fitted.basis
    # A Gaussian of equal variance on the 64 - 20 directions outside.
    law = -0.5 * (rest**2).sum(1) / fitted.noise - 22 * np.log(2 * np.pi * fitted.noise)
    np.testing.assert_allclose(fitted.log_density(x), inside + law, rtol=1e-9)
    np.testing.assert_allclose(fitted.basis @ fitted.basis.T, np.eye(20), atol=1e-9)


def test_noise_and_turned_images_are_less_dense(digits, fitted):
    fresh = digits.take(slice(1300, None))
    usual = fitted.log_density(fresh)
    noise = fitted.log_density(draw().random((300, 1, 8, 8)))
    assert np.quantile(noise, 0.99) < np.quantile(usual, 0.05)
    turned = fitted.log_density(fresh.floats().transpose(2, 3).flip(3))
    assert np.median(turned) < np.quantile(usual, 0.25)
    inside = [np.median(fitted.log_density(x, outside=False)) for x in (draw(1).random((300, 64)), fresh)]
    assert inside[0] < inside[1]


def test_means_of_two_are_odd_within_the_components_and_too_smooth_outside(digits, fitted):
    """What the module says of its two readings."""
    fresh = digits.take(slice(1300, None)).floats().flatten(1).numpy()
    means = (fresh + fresh[draw(2).permutation(len(fresh))]) / 2
    change = {
        outside: np.median(fitted.log_density(means, outside=outside))
        - np.median(fitted.log_density(fresh, outside=outside))
        for outside in (False, True)
    }
    assert change[False] < 0
    assert change[True] > change[False] + 1


@pytest.mark.whole
def test_order_blocks_and_type_do_not_matter(digits, fitted, monkeypatch):
    fresh = digits.take(slice(1300, None))
    whole = fitted.log_density(fresh)
    order = draw().permutation(len(fresh))
    np.testing.assert_allclose(fitted.log_density(fresh.take(order)), whole[order], rtol=1e-9)
    monkeypatch.setattr("mistrust.ambiguity.density.BLOCK", 7)
    np.testing.assert_allclose(fitted.log_density(fresh), whole, rtol=1e-9)
    flat = fresh.floats().flatten(1)
    for same in (flat, flat.numpy(), fresh.images):
        np.testing.assert_allclose(fitted.log_density(same), whole, rtol=1e-9)
    coded = (flat * 255).round().to(torch.uint8)
    np.testing.assert_allclose(fitted.log_density(coded), fitted.log_density(coded.double() / 255), rtol=1e-9)
    assert fitted.log_density(flat[:0]).shape == (0,)


def test_seed_settles_the_fit():
    x, _ = gaussian(600)
    fresh, _ = gaussian(50, seed=1)
    first, again, other = (
        DensityModel.fit(x, components=3, clusters=4, seed=seed, most=300).log_density(fresh) for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.allclose(first, other)


def test_many_images_are_thinned():
    x, _ = gaussian(500)
    assert DensityModel.fit(x, components=3, clusters=2, most=200).n == 200


@pytest.mark.parametrize(
    ("n", "components", "clusters"),
    [(10, 2, 1), (50, 10, 1), (124, 12, 2), (6000, 12, 30)],  # of 12 pixels
)
def test_small_sets_are_given_less(n, components, clusters):
    """As documented: 5 images for each component, and for each component of each cluster."""
    x, _ = gaussian(n)
    model = DensityModel.fit(x)
    assert (model.components, model.clusters) == (components, clusters)
    assert np.isfinite(model.log_density(x)).all()


def test_directions_in_which_nothing_differs():
    """Pixels that are always black, as at the borders of digits: no component, and a finite price for one that is."""
    x, _ = gaussian(400, noise=0)
    x = np.hstack([x, np.zeros((400, 5))])
    model = DensityModel.fit(x, components=12, clusters=2)
    assert model.components == 3
    lit = x[:1].copy()
    lit[0, -1] = 0.5
    before, after = model.log_density(np.vstack([x[:1], lit]))
    assert np.isfinite(after)
    assert after < before - 1000


class TestRefuses:
    def test_too_few(self):
        x, _ = gaussian(9)
        with pytest.raises(MistrustError, match=r"at least 10 images, got 9"):
            DensityModel.fit(x)
        with pytest.raises(MistrustError, match=r"at least 10 images, got 5"):
            DensityModel.fit(gaussian(100)[0], most=5)
        with pytest.raises(MistrustError, match=r"components, clusters and most are 0, 30 and 20000"):
            DensityModel.fit(x, components=0)

    def test_equal_images(self):
        with pytest.raises(MistrustError, match=r"All 20 images are equal"):
            DensityModel.fit(np.full((20, 4), 0.3))

    def test_other_pixels(self, fitted):
        with pytest.raises(MistrustError, match=r"have 49 pixels, .* fitted on images of 64"):
            fitted.log_density(torch.zeros(3, 1, 7, 7))
        with pytest.raises(MistrustError, match=r"expected \(n, ...\)"):
            fitted.log_density(torch.zeros(64))
        x = np.zeros((20, 64))
        x[3, 4] = np.nan
        with pytest.raises(MistrustError, match=r"1 of 20 images are not finite"):
            fitted.log_density(x)
        with pytest.raises(MistrustError, match=r"not finite"):
            DensityModel.fit(x)

    def test_other_ranges_and_types(self, fitted):
        levels = draw().integers(0, 256, (20, 64))
        for wrong, message in (
            (
                levels,
                r"Pixels \(int64\) reach from 0 to 255, expected \[0, 1\]: give images / 255, or grey levels as uint8",
            ),
            (torch.from_numpy(levels), r"Pixels \(int64\) reach from 0 to 255"),
            (-levels / 255, r"Pixels \(float64\) reach from -1 to 0"),
            (levels / 255 + 1j, "Pixels are complex128"),
            (None, "Pixels are object"),
            ([[0.1, 0.2], [0.3]], "Images have different sizes"),
        ):
            for call in (DensityModel.fit, fitted.log_density):
                with pytest.raises(MistrustError, match=message):
                    call(wrong)
        np.testing.assert_allclose(
            fitted.log_density(levels.astype(np.uint8)), fitted.log_density(levels / 255), rtol=1e-12
        )

    def test_counts_that_are_not_whole(self):
        for name, wrong in (("components", 2.5), ("clusters", "3"), ("most", None)):
            with pytest.raises(MistrustError, match=f"Density: {name} is {wrong!r}, expected a"):
                DensityModel.fit(gaussian(60)[0], **{name: wrong})
