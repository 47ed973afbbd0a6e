"""The shipped model `url`: `features` of a URL, one sum of weights (`model`), made a probability (`calibration`)."""
