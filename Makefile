# Every target below is one `mistrust` command once the environment stands; on a system without make, call that.
#   make book PYTHON=python3.12   another Python (3.11 to 3.13), when .venv is made
#   make book TORCH=cpu           PyTorch without CUDA, for small disks; remembered until TORCH=locked
#   make paper CHAPTER=search PIECE="authors' rows"   one chapter without its page, or one piece of it, at that scale

MISTRUST = .venv/bin/mistrust

# A piece without its chapter would be refused by the command, in its own words and after the environment was made.
$(if $(filter paper,$(MAKECMDGOALS)),$(if $(PIECE),$(if $(CHAPTER),,$(error \
  PIECE is a piece of one chapter: name CHAPTER as well, as in make paper CHAPTER=search PIECE="authors' rows"))))

.DEFAULT_GOAL := help
.PHONY: help environment book smoke quick full paper test whole browser lint serve release clean

help: ## list these targets
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

environment: ## make .venv from requirements.lock, when it does not stand
	@scripts/environment

book: environment ## run the chapters (profile quick) and build the book in _build/html
	@$(MISTRUST) book

smoke: environment ## the book with tiny parameters, where every warning is an error
	@$(MISTRUST) book --profile smoke --strict

quick: environment ## the book as a reader reruns it, same as `make book`
	@$(MISTRUST) book --profile quick

full: environment ## the book with the parameters of the committed rows; hours
	@$(MISTRUST) book --profile full

paper: environment ## the book at the papers' own scale; wants a GPU
	@$(MISTRUST) $(if $(CHAPTER),make $(CHAPTER),book) --profile paper $(if $(PIECE),--piece "$(PIECE)")

test: environment ## run the tests, but those below
	@$(MISTRUST) test

whole: environment ## run the tests that run tiny chapters whole, build books, kill what they started, or take long
	@$(MISTRUST) test -m whole

browser: environment ## open every page of the built book in a browser and check it
	@$(MISTRUST) browser

lint: environment ## check style, types, layers and workflows
	@$(MISTRUST) lint

serve: environment ## show the built book at an address of this machine
	@$(MISTRUST) serve

release: environment ## make a wheel and one zip of the built book in dist
	@$(MISTRUST) release

clean: environment ## delete _build; what was computed stays in the store
	@$(MISTRUST) clean
