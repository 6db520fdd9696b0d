"""Four families of networks, AlexNet, VGG, ResNet and Inception, at the size of small images.

The paper on robustness (UREM, sections 3.2 and 5) says of four networks for ImageNet that deeper ones stand more noise
and ones with fewer parameters more targeted changes. Four points in which depth, size, family and input go together
cannot tell. Here every family has shallow and deep networks, each narrow and wide, for one size of image: in each
family some deeper network has fewer parameters than some shallower one, so that the two can be told apart.
"""

from mistrust.networks.architectures.families import alexnet, inception, resnet, vgg
from mistrust.networks.architectures.families.family import FAMILIES

__all__ = ["FAMILIES", "alexnet", "inception", "resnet", "vgg"]
