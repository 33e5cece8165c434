"""The semantic cache: answers given before, to the same question only.

`normal`, `store` and `stamp` answer a question in the very same words before anything heavy is loaded; `asking`,
`sameness` and `key` tell whether two questions in different words are one; `answers` is the cache that `Glossbot` uses.
"""
