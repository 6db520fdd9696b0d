"""The roof: profiles, results, published numbers, claims, the runner and the site. May import anything below."""
