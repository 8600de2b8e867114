/** Why a file cannot be read, in a sentence for its sender. Any other error is a bug or an outage. */
export class FileFault extends Error {}
