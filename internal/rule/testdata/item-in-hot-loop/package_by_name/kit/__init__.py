from kit import nets
