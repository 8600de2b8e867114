import { z } from 'zod';

export const searchKinds = ['workflow', 'trigger', 'run', 'order', 'product', 'customer', 'api_key'] as const;
export type SearchKind = (typeof searchKinds)[number];

export const maxResults = 50;

/** Marks of direction, which a copied number often carries and nobody sees. */
const directionMarks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

export const searchInput = z.object({
  text: z
    .string()
    .transform((text) => text.replace(directionMarks, '').trim().normalize('NFC'))
    .pipe(z.string().min(1, 'Give at least one character.').max(191, 'Search for at most 191 characters.')),
  first: z.int().min(1).max(maxResults, `Ask for 1 to ${maxResults}.`),
});
