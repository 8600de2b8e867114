import { readFileSync } from 'node:fs';
import { buildSchema, isEnumType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { germanErrors } from '#console/words/errors.de.ts';
import { germanTranslator } from '#console/words/german-errors.ts';
import { errorCodes } from '#src/infra/errors.ts';
import { inputSentence } from '#src/infra/input-messages.ts';

const { errorSentence, fieldSentence } = germanTranslator;

const readFaults = (schema: z.ZodType, value: unknown): string[] =>
  schema.safeParse(value, { error: inputSentence() }).error?.issues.map(({ message }) => message) ?? [];

describe('an error of the server', () => {
  test('has German words by its code', () => {
    const type = buildSchema(readFileSync('schema.graphql', 'utf8')).getType('ErrorCode');
    const codes = isEnumType(type) ? type.getValues().map(({ name }) => name) : [];
    expect(codes.length).toBeGreaterThan(10);
    expect(
      codes.filter((code) => germanErrors.codes[code] === undefined),
      'Add them to codes in console/words/errors.de.ts.',
    ).toEqual([]);
    expect(
      Object.keys(germanErrors.codes).filter((code) => !codes.includes(code)),
      'The server has no such code.',
    ).toEqual([]);
  });

  test('that says no more than its code is the German of the code', () => {
    expect([...germanErrors.plain].toSorted()).toEqual(
      Object.values(errorCodes)
        .map(({ message }) => message)
        .toSorted(),
    );
    for (const [code, { message }] of Object.entries(errorCodes))
      expect(errorSentence(code, message)).toBe(germanErrors.codes[code]);
  });

  test('that is known by its sentence keeps the values in it', () => {
    expect(errorSentence('CONFLICT', 'The draft is at version 12. Load it again and repeat your change.')).toBe(
      'Der Entwurf ist inzwischen bei Version 12. Laden Sie ihn neu und wiederholen Sie Ihre Änderung.',
    );
    expect(errorSentence('CONFLICT', 'ERP has 2 active keys; revoke one of them first.')).toMatch(/^ERP hat 2 aktive/);
  });

  test('that is not known is shown as it is, after the German of its code', () => {
    expect(errorSentence('CONFLICT', 'Something that nobody has translated.')).toBe(
      `${germanErrors.codes['CONFLICT']} (Something that nobody has translated.)`,
    );
    expect(errorSentence('NEW_CODE', 'As it is.')).toBe('As it is.');
  });

  test('has placeholders in German that its English has', () => {
    const numbers = (text: string) => [...text.matchAll(/\{\d\}/g)].map(([found]) => found);
    for (const [english, translated] of Object.entries(germanErrors.sentences))
      expect(numbers(english), translated).toEqual(expect.arrayContaining(numbers(translated)));
  });
});

describe('what is wrong with a field', () => {
  test.each<[z.ZodType, unknown, string]>([
    [z.object({ name: z.string() }), {}, 'Das muss angegeben werden.'],
    [z.object({ name: z.string() }), { name: 1 }, 'Das muss ein Text sein.'],
    [z.object({ name: z.string().min(1) }), { name: '' }, 'Das darf nicht leer sein.'],
    [z.object({ name: z.string().max(1000) }), { name: 'x'.repeat(1001) }, 'Das darf höchstens 1.000 Zeichen haben.'],
    [z.object({ topics: z.array(z.string()).min(2) }), { topics: ['a'] }, 'Das muss mindestens 2 Einträge haben.'],
    [z.object({ port: z.int() }), { port: 1.5 }, 'Das muss eine ganze Zahl sein.'],
    [z.object({ port: z.number().min(1) }), { port: 0 }, 'Das muss mindestens 1 sein.'],
    [z.object({ port: z.number().max(9) }), { port: 10 }, 'Das darf höchstens 9 sein.'],
    [z.object({ port: z.number().gt(1) }), { port: 1 }, 'Das muss größer sein als 1.'],
    [z.object({ port: z.number().multipleOf(5) }), { port: 1 }, 'Das muss ein Vielfaches von 5 sein.'],
    [z.object({ email: z.email() }), { email: 'x' }, 'Das muss eine E-Mail-Adresse sein.'],
    [z.object({ email: z.string().regex(/y/) }), { email: 'x' }, 'Das hat nicht das nötige Format.'],
    [z.object({ mode: z.enum(['a', 'b']) }), { mode: 'c' }, 'Das muss einer dieser Werte sein: "a", "b".'],
    [z.object({ mode: z.literal('a') }), { mode: 'c' }, 'Das muss "a" sein.'],
    [z.object({ value: z.union([z.string(), z.number()]) }), { value: true }, 'Das muss ein Text oder eine Zahl sein.'],
    [z.strictObject({}), { x: 1 }, 'Das hat eine unbekannte Angabe: "x".'],
    [z.array(z.object({ sku: z.string() })), [{}], 'Das muss angegeben werden.'],
  ])('is said in German: %#', (schema, value, sentence) => {
    expect(readFaults(schema, value).map(fieldSentence)).toEqual([sentence]);
  });
});
