/** What the demo prints. */
@NullMarked
package io.ocicat.cli.demo;

import org.jspecify.annotations.NullMarked;
