import { type FormEvent, useId, useState } from 'react';
import { articles, buyers } from '#console/commerce/lookups.ts';
import { Button } from '#console/ui/button.tsx';
import { fromLocalTime, toLocalTime } from '#console/ui/form/local-time.ts';
import { SuggestField } from '#console/ui/lookup/suggest-field.tsx';
import { priceWords as w } from './prices.words.ts';
import type { Question } from './question.ts';

const suggested = { className: 'question-field' };

/** What a price is asked for. It is asked when the form is sent. */
export function QuestionForm({ asked, ask }: { asked: Question; ask: (question: Question) => void }) {
  const [question, setQuestion] = useState(asked);
  const set = (name: keyof Question) => (value: string) => setQuestion((before) => ({ ...before, [name]: value }));
  const send = (event: FormEvent) => {
    event.preventDefault();
    ask(question);
  };
  return (
    <form className="question" onSubmit={send}>
      <SuggestField {...suggested} label={w.sku} lookup={articles} value={question.sku} set={set('sku')} />
      <TextField label={w.quantity} value={question.quantity} set={set('quantity')} />
      <TextField label={w.currency} value={question.currency} set={set('currency')} />
      <SuggestField {...suggested} label={w.customer} lookup={buyers} value={question.customer} set={set('customer')} />
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
