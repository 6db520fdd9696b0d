"""Tests of the papers' claims, a folder a chapter; `mistrust.publishing.claims` imports all its modules."""
