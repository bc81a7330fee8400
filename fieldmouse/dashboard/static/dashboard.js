// Keys, live figures and filters that apply themselves. Every page works without this file.
"use strict";
