/** The encodings that files may have. */
export const encodings = ['utf-8', 'windows-1252', 'iso-8859-15', 'utf-16le', 'utf-16be', 'cp850', 'macintosh'];
