/** Why a file cannot be read, in a sentence for whoever sent it. Any other error is a bug or an outage. */
export class FileFault extends Error {}
