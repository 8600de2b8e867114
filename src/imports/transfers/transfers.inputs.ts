import { z } from 'zod';

export const transfersPerTenant = 500;

export const directions = ['import', 'export'] as const;
export type Direction = (typeof directions)[number];

export const afterwards = ['move', 'delete', 'leave'] as const;
export type Afterwards = (typeof afterwards)[number];

export const cron = z.string().trim().min(1).max(120);
export const timezone = z.string().min(1).max(64);

/** A directory of the server; relative ones begin where the user is put. */
export const directory = z
  .string()
  .trim()
  .min(1)
  .max(1_024)
  .regex(/^\P{Cc}+$/u, 'Write it without line breaks.')
  .refine((path) => !path.split('/').includes('..'), 'Write the path without `..`.');
