@NullMarked
package io.ocicat.cli.policy;

import org.jspecify.annotations.NullMarked;
