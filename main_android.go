package main

// Java looks up functions of this package by name, whoever calls it.
import _ "keva/platform/android"
