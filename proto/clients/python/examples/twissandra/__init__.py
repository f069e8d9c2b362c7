"""Twissandra, the small Twitter of "Cassandra by example", as a web application on Colonnade."""
