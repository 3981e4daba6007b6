/** What every module above needs and none should write again: deadlines, quoted text, the boot. */
@NullMarked
package io.ocicat.base;

import org.jspecify.annotations.NullMarked;
