import type { Face } from './face.ts';
import { serviceFace } from './faces/service.ts';

/** Every REST face of the API. */
export const faces: readonly Face[] = [serviceFace];
