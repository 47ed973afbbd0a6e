"""How good answers are: against gold labels (`evaluate`), run against run (`compare`), and weights fitted (`tune`)."""
