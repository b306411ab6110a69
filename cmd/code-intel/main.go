// Command code-intel makes coding agents understand a codebase before they
// change it, and proves that they did the work.
package main

func main() {}
