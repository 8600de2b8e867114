import { z } from 'zod';

export const importTag = {
  name: 'Imports',
  description: 'Files of up to a million rows: uploaded, read by a profile, merged by a job.',
};

/** An upload's id in a body, which may be JSON's number. */
export const uploadId = z.union([z.int(), z.string()]).transform(String);
