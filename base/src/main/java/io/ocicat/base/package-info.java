/** What the modules above share: quoting, deadlines, the boot id, crash points for tests. */
@NullMarked
package io.ocicat.base;

import org.jspecify.annotations.NullMarked;
