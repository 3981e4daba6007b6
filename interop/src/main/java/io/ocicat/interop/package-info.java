/**
 * Holds tests only: the whole product under the programs that call CNI plugins. They are a separate
 * module because they need the command, which no plugin depends on.
 */
@NullMarked
package io.ocicat.interop;

import org.jspecify.annotations.NullMarked;
