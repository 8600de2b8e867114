import type { Place } from './places.ts';

/** Drawn on a grid of 16, in strokes of the text's colour. */
const paths: Readonly<Record<Place, string>> = {
  overview: 'M2 9h5V2H2zM9 14h5V7H9zM2 14h5v-3H2zM9 5h5V2H9z',
  runs: 'M4 2.5v11l9-5.5z',
  workflows: 'M2 3h4v4H2zM10 9h4v4h-4zM6 5h3a3 3 0 0 1 3 3v1',
  'dead-letters': 'M2 4h12v9H2zM2 4l6 5 6-5M5.5 2h5',
  deliveries: 'M2 8h10M8 4l4 4-4 4M14 3v10',
  orders: 'M3 2h10v12l-2.5-1.5L8 14l-2.5-1.5L3 14zM5.5 5.5h5M5.5 8.5h5',
  stock: 'M2 5l6-3 6 3v6l-6 3-6-3zM2 5l6 3 6-3M8 8v6',
  prices: 'M2 2h6l6 6-6 6-6-6zM5 5h.01',
  customers: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6M2.5 14a5.5 5.5 0 0 1 11 0',
  imports: 'M8 2v8M5 7l3 3 3-3M2 10v4h12v-4',
  themes: 'M2 3h12v10H2zM2 6h12M6 6v7',
  settings: 'M2 4h7M13 4h1M2 8h2M8 8h6M2 12h6M12 12h2M9 2v4M4 6v4M8 10v4',
};

export function PlaceIcon({ place }: { place: Place }) {
  return (
    <svg className="place-icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={paths[place]} />
    </svg>
  );
}
