"""An evaluation as one HTML file that a person looks at: nothing is fetched, nothing foreign is trusted."""
