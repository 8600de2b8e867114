import {
  AppError,
  ConflictError,
  type ErrorCode,
  type FieldErrors,
  errorCodes,
  NotFoundError,
  ValidationError,
} from '#src/infra/errors.ts';
import { builder } from './builder.ts';

const ErrorCodeEnum = builder.enumType('ErrorCode', {
  description: 'What went wrong, in a word that stays. `extensions.code` of top-level errors has the same values.',
  values: Object.keys(errorCodes) as ErrorCode[],
});

export const ErrorInterface = builder.interfaceRef<AppError>('Error').implement({
  description: 'What a mutation answers instead of its payload. `code` is stable, `message` is for people.',
  fields: (t) => ({
    code: t.expose('code', { type: ErrorCodeEnum, description: 'Which failure, for programs.' }),
    message: t.exposeString('message', { description: 'What is wrong and what to do, for people; it may change.' }),
  }),
});

interface FieldError {
  path: string;
  messages: string[];
}

export const FieldErrorRef = builder.objectRef<FieldError>('FieldError').implement({
  description: 'What is wrong with one field of the input.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Members and indexes joined by dots: `blob.nodes.0.version`.' }),
    messages: t.exposeStringList('messages', { description: 'What is wrong with it, one sentence each.' }),
  }),
});

export const toFieldErrors = (fields: FieldErrors): FieldError[] =>
  Object.entries(fields).map(([path, messages]) => ({ path, messages }));

builder.objectType(ValidationError, {
  name: 'ValidationError',
  description: 'Some field of the input is not as it must be.',
  interfaces: [ErrorInterface],
  fields: (t) => ({
    fields: t.field({
      type: [FieldErrorRef],
      description: 'One entry for each field that is wrong.',
      resolve: ({ fields }) => toFieldErrors(fields),
    }),
  }),
});
builder.objectType(NotFoundError, {
  name: 'NotFoundError',
  description: 'The tenant has no such object.',
  interfaces: [ErrorInterface],
});
builder.objectType(ConflictError, {
  name: 'ConflictError',
  description: 'The object is not, or no longer, in the state this needs.',
  interfaces: [ErrorInterface],
  fields: (t) => ({
    currentVersion: t.exposeInt('currentVersion', {
      nullable: true,
      description:
        'The `version` that the object has now, where the input named an older `version` or `revision`. Load the object again before you repeat the change. Null for other conflicts.',
    }),
  }),
});
builder.objectType(AppError, {
  name: 'RequestError',
  description: 'Any other expected failure; `code` says which.',
  interfaces: [ErrorInterface],
});

/** The error members every mutation's union has, most specific first. */
export const errorTypes = { types: [ValidationError, NotFoundError, ConflictError, AppError] };
