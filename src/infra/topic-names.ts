import { suggestion } from './text/suggestion.ts';

/** Context for checking the topics of a subscription. */
export interface TopicNames {
  /** The topics that this server publishes. Absent when a process sets up topics that are known to be valid. */
  ownTopics?: ReadonlySet<string>;
}

/**
 * The reason why a topic, or a prefix such as `order.*`, looks like a misspelling of one that this server publishes; undefined if it does
 * not. Any other may be the tenant's own, published by its workflows and inbound endpoints.
 */
export function unknownTopicFault(topic: string, ownTopics: ReadonlySet<string>): string | undefined {
  const [resource = '', action = '', ...more] = topic.split('.');
  if (ownTopics.has(topic) || action === '' || more.length > 0) return undefined;
  const near = [...ownTopics].filter((own) => isNear(resource, own.split('.')[0] as string));
  if (near.length === 0) return undefined;
  const prefixes = near.map((own) => `${own.split('.')[0]}.*`);
  if (action === '*') return prefixes.includes(topic) ? undefined : refusal(topic, suggestion(topic, prefixes));
  const actions = near.map((own) => own.split('.')[1] as string);
  if (!actions.includes(action) && suggestion(action, actions) === '') return undefined;
  return refusal(topic, suggestion(topic, near));
}

const refusal = (topic: string, hint: string): string =>
  `There is no topic ${topic}.${hint} Give a topic of your own another first word, such as erp.${topic}.`;

/** True if a word equals another, or differs by one letter: added, left out, replaced, or swapped with the next. */
function isNear(word: string, other: string): boolean {
  if (word === other) return true;
  if (Math.abs(word.length - other.length) > 1) return false;
  let from = 0;
  while (from < word.length && word[from] === other[from]) from += 1;
  let end = 0;
  while (end < Math.min(word.length, other.length) - from && word.at(-1 - end) === other.at(-1 - end)) end += 1;
  const [left, right] = [word.slice(from, word.length - end), other.slice(from, other.length - end)];
  return (left.length <= 1 && right.length <= 1) || (left.length === 2 && left[1] === right[0] && left[0] === right[1]);
}
