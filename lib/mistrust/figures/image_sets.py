"""What readers call the image sets, in every figure, table and caption."""

TITLES = {
    "mnist": "MNIST",
    "mnist5k": "MNIST, 5,000 images",
    "fmnist": "Fashion-MNIST",
    "digits": "digits of 8 × 8 pixels",
    "cifar10": "CIFAR-10",
    "cifar10-jpeg": "CIFAR-10, JPEG",
    "cifar10-lossless": "CIFAR-10, 4,000 images",
    "gtsrb": "GTSRB",
    "gtsrb-thin": "GTSRB, thinned",
    "btsc": "BTSC",
    "cats_dogs": "cats and dogs",
    "cats_dogs-32": "cats and dogs",
    "zappos50k": "UT-Zap50K",
    "ut-zap50k": "UT-Zap50K",
    "kaggle13": "Kaggle13",
    "celeba": "CelebA",
    "imagenet": "ImageNet",
    "imagenet_sample": "ImageNet, a sample",
}
