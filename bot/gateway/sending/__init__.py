"""What is said, from the words a turn wants said to the provider's last report of them."""
