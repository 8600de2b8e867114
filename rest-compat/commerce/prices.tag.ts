export const pricesTag = { name: 'Prices', description: 'Price lists, and the price of an article for a buyer.' };
