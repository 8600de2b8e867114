import { ValidationError } from '#src/infra/errors.ts';
import { readId } from '#src/infra/inputs.ts';

/** The error for an unknown upload in an input. */
export const unknownUpload = (): ValidationError =>
  new ValidationError({ uploadId: ['There is no such upload. Make one with POST /v1/io/uploads.'] });

/** The id of an upload in an input. Throws a ValidationError if it is malformed. */
export function readUploadId(given: string): bigint {
  try {
    return readId('Upload', given);
  } catch {
    throw unknownUpload();
  }
}
