package io.ocicat.netlink.nft;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** A number with a name in nft. */
interface Symbol {
  int number();

  /** Of the enum constant. */
  String name();

  default String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The name of a number, or the number itself where there is none. */
  static String wordFor(Symbol[] symbols, long number) {
    return find(symbols, number).map(Symbol::word).orElse(Long.toString(number));
  }

  static <S extends Symbol> Optional<S> find(S[] symbols, long number) {
    return Arrays.stream(symbols).filter(symbol -> symbol.number() == number).findFirst();
  }

  /** The names of the bits that are set, as in {@code established,related}. */
  static String wordsFor(Symbol[] symbols, long bits) {
    Predicate<Symbol> isSet = symbol -> (bits & symbol.number()) != 0;
    if (bits == 0 || bits != sum(Arrays.stream(symbols).filter(isSet).toList())) {
      return "0x" + Long.toHexString(bits);
    }
    return Arrays.stream(symbols).filter(isSet).map(Symbol::word).collect(Collectors.joining(","));
  }

  /** All bits together. */
  static int sum(Iterable<? extends Symbol> symbols) {
    int bits = 0;
    for (Symbol symbol : symbols) {
      bits |= symbol.number();
    }
    return bits;
  }

  static int sum(Symbol... symbols) {
    return sum(List.of(symbols));
  }
}
