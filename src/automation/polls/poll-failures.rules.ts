/** After this many failures in a row, the poll is reported. Index `polls_failing_idx` has the same number. */
export const announcedFailures = 3;
