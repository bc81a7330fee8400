"""What is not worth a download or a place in the corpus: parked names, redirect farms, copies of copies."""
