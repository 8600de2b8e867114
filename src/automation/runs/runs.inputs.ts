import { z } from 'zod';

export const resumeRunInput = z.object({ token: z.guid(), data: z.unknown().optional() });
