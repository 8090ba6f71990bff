require ["fileinto", "copy", "imapsieve", "environment"];

# A person has moved this mail out of Junk. To throw it away tells nothing.
if environment :is "imap.mailbox" ["Trash", "Junk", "spamnb-lessons/spam", "spamnb-lessons/ham"] {
    stop;
}
fileinto :copy "spamnb-lessons/ham";
