@NullMarked
package io.ocicat.cli.agent;

import org.jspecify.annotations.NullMarked;
