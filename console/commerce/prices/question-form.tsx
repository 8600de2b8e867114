import { type FormEvent, useCallback, useId, useState } from 'react';
import { useClient } from 'urql';
import { Button } from '#console/ui/button.tsx';
import { fromLocalTime, toLocalTime } from '#console/ui/form/local-time.ts';
import { FindArticles, FindCustomers } from './prices.documents.ts';
import { priceWords as w } from './prices.words.ts';
import type { Question } from './question.ts';
import { SuggestField } from './suggest-field.tsx';

/** What a price is asked for. It is asked when the form is sent. */
export function QuestionForm({ asked, ask }: { asked: Question; ask: (question: Question) => void }) {
  const client = useClient();
  const [question, setQuestion] = useState(asked);
  const set = (name: keyof Question) => (value: string) => setQuestion((before) => ({ ...before, [name]: value }));
  const findArticles = useCallback(
    async (text: string) => {
      const { data } = await client.query(FindArticles, { filter: text === '' ? null : { search: text } }).toPromise();
      return data?.products.edges.map(({ node }) => ({ value: node.sku, name: node.name })) ?? [];
    },
    [client],
  );
  const findCustomers = useCallback(
    async (text: string) => {
      const { data } = await client.query(FindCustomers, { filter: text === '' ? null : { search: text } }).toPromise();
      return data?.organizations.edges.map(({ node }) => ({ value: node.customerNumber, name: node.name })) ?? [];
    },
    [client],
  );
  const send = (event: FormEvent) => {
    event.preventDefault();
    ask(question);
  };
  return (
    <form className="question" onSubmit={send}>
      <SuggestField label={w.sku} value={question.sku} set={set('sku')} suggest={findArticles} />
      <TextField label={w.quantity} value={question.quantity} set={set('quantity')} />
      <TextField label={w.currency} value={question.currency} set={set('currency')} />
      <SuggestField label={w.customer} value={question.customer} set={set('customer')} suggest={findCustomers} />
      <TextField label={w.channel} value={question.channel} set={set('channel')} />
      <TextField label={w.market} value={question.market} set={set('market')} />
      <TextField
        label={w.at}
        type="datetime-local"
        value={toLocalTime(question.at)}
        set={(local) => set('at')(fromLocalTime(local) ?? '')}
      />
      <Button type="submit" kind="main" isDisabled={question.sku.trim() === ''}>
        {w.explain}
      </Button>
    </form>
  );
}

interface TextFieldProps {
  label: string;
  value: string;
  set: (value: string) => void;
  type?: string;
}

function TextField({ label, value, set, type = 'text' }: TextFieldProps) {
  const id = useId();
  return (
    <div className="question-field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        type={type}
        autoComplete="off"
        value={value}
        onChange={(event) => set(event.target.value)}
      />
    </div>
  );
}
