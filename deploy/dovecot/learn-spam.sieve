require ["fileinto", "copy"];

# A person has moved this mail to Junk.
fileinto :copy "spamnb-lessons/spam";
