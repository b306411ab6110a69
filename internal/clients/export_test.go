package clients

// Longest is how much text clients take whole.
const Longest = longest
