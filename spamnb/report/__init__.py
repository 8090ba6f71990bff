"""Results for people and programs: tables and curves in the terminal, JSON, and text made safe to show."""
