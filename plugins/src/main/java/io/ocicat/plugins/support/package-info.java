/** What every plugin uses: undoing a failed ADD, doing every step of a DEL, reading a path. */
@NullMarked
package io.ocicat.plugins.support;

import org.jspecify.annotations.NullMarked;
