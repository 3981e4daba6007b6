/** The plugin that is checked: what kind it is and a configuration it works with. */
@NullMarked
package io.ocicat.conformance.subject;

import org.jspecify.annotations.NullMarked;
