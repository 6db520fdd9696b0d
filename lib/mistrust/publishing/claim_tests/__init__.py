"""Tests of the papers' claims, one module a chapter; `mistrust.publishing.claims` imports them all."""
