"""The server: the chat page, and what stands between it and the network. Importing this package is cheap."""
